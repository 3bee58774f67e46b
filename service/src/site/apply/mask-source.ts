/**
 * A stream's address as it may be shown: without user and password, and without the parts of a
 * path or query that carry settings, since some makers' cameras take the password there.
 */
export function maskSource(source: string): string {
  const [, scheme = '', rest = ''] = /^([^:]*:\/\/)?([\s\S]*)$/.exec(source) ?? []
  const withoutUser = rest.replace(/^[\s\S]*@/, '***@')
  const [address = ''] = withoutUser.split(/[?#]/)
  const isWhole = address === withoutUser
  const steps = address.split('/').map((step) => (/[=;&]/.test(step) ? '***' : step))
  return `${scheme}${steps.join('/')}${isWhole ? '' : '?***'}`
}
