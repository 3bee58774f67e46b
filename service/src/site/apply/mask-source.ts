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
