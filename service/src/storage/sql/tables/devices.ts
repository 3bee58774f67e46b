export type DeviceTables = {
  device_contacts: { device_id: string; time: number }
  device_errors: { device_id: string; time: number; error: string }
}
