/** The kinds of devices, from the top of a branch to its ends. */
export type DeviceKind = 'gateway' | 'dtu' | 'node' | 'sensor'
