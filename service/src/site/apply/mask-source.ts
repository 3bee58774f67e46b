/**
 * The address of a stream without user, password and query, without parts of the path with settings,
 * which contain the password for some cameras, and without the name of an RTMP stream, which is its key.
 */
export function maskSource(source: string): string {
  const [, scheme = '', rest = ''] = /^([^:]*:\/\/)?([\s\S]*)$/.exec(source) ?? []
  const withoutUser = rest.replace(/^[\s\S]*@/, '***@')
  const [address = ''] = withoutUser.split(/[?#]/)
  const isWhole = address === withoutUser
  const isKeyed = /^rtmps?:/i.test(scheme)
  const steps = address
    .split('/')
    .map((step, at) => (/[=;&]/.test(step) || (isKeyed && at >= 2) ? '***' : step))
  return `${scheme}${steps.join('/')}${isWhole ? '' : '?***'}`
}

/** The stored address where the given one is what it looks like masked; otherwise the given one. */
export const unmaskSource = (given: string, stored: string | undefined): string =>
  stored !== undefined && maskSource(stored) === given ? stored : given

/** Whether an address has parts that were masked. */
export const isMaskedSource = (source: string): boolean =>
  /^[^:]*:\/\/\*\*\*@|\/\*\*\*(?:\/|\?|$)|\?\*\*\*$/.test(source)
