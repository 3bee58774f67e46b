/** A report of a device that something is wrong with it. */
export type DeviceError = { device: string; time: number; error: string }

export interface DeviceStore {
  /**
   * Notes the last contact of devices; an older one than known changes nothing, unless the known one
   * lies beyond `now`.
   */
  writeContacts(contacts: readonly { device: string; time: number }[], now?: number): Promise<void>

  listContacts(): Promise<{ device: string; time: number }[]>

  /** Notes what devices report to be wrong, in the same way. */
  writeErrors(errors: readonly DeviceError[], now?: number): Promise<void>

  /** The last error that each device has reported. */
  listErrors(): Promise<DeviceError[]>
}
