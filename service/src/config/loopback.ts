/** Addresses of this machine. */
export const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/
