import { isIP } from 'node:net'

/** A name of a server in its certificate. */
export type CertificateName = Readonly<{ type: 'dns' | 'ip'; value: string }>

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'

/** A host name of RFC 1123; the first label may be `*` (RFC 9525, 6.3). */
const HOST_NAME = new RegExp(String.raw`^(?:\*\.)?${LABEL}(?:\.${LABEL})*$`)
const HOST_NAME_MAXIMUM = 253

/** Parses a host name or an address; undefined for other texts. */
export function parseCertificateName(text: string): CertificateName | undefined {
  const value = text.toLowerCase()
  // A zone such as `%eth0` has a meaning on one machine only.
  if (isIP(value) !== 0) return value.includes('%') ? undefined : { type: 'ip', value }
  const isHostName = HOST_NAME.test(value) && value.length <= HOST_NAME_MAXIMUM
  // `1.2.3` would be taken for an address.
  return isHostName && !/^[\d.]+$/.test(value) ? { type: 'dns', value } : undefined
}
