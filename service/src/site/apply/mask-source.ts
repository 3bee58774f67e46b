/**
 * The address of a stream without user, password and query, and without parts of the path with
 * settings, which contain the password for some cameras.
 */
export function maskSource(source: string): string {
  const [, scheme = '', rest = ''] = /^([^:]*:\/\/)?([\s\S]*)$/.exec(source) ?? []
  const withoutUser = rest.replace(/^[\s\S]*@/, '***@')
  const [address = ''] = withoutUser.split(/[?#]/)
  const isWhole = address === withoutUser
  const steps = address.split('/').map((step) => (/[=;&]/.test(step) ? '***' : step))
  return `${scheme}${steps.join('/')}${isWhole ? '' : '?***'}`
}

/** The stored address where the given one is what it looks like masked; otherwise the given one. */
export const unmaskSource = (given: string, stored: string | undefined): string =>
  stored !== undefined && maskSource(stored) === given ? stored : given

/** Whether an address has parts that were masked. */
export const isMaskedSource = (source: string): boolean =>
  /^[^:]*:\/\/\*\*\*@|\/\*\*\*(?:\/|\?|$)|\?\*\*\*$/.test(source)
