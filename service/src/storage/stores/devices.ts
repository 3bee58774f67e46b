/** An error that a device has reported. */
type DeviceError = { device: string; time: number; error: string }

export interface DeviceStore {
  /**
   * Stores the last contact of devices. A contact older than the stored one is ignored, unless the
   * stored one is later than `now`.
   */
  writeContacts(contacts: readonly { device: string; time: number }[], now?: number): Promise<void>

  listContacts(): Promise<{ device: string; time: number }[]>

  /** Stores the last error of devices, in the same way. */
  writeErrors(errors: readonly DeviceError[], now?: number): Promise<void>

  /** The last error that each device has reported. */
  listErrors(): Promise<DeviceError[]>
}
