import { createHash } from 'node:crypto'
import type { SignedQuery } from './signed-query.ts'

/**
 * URL signing of type A of Alibaba Cloud (https://www.alibabacloud.com/help/en/live/user-guide/url-signing).
 * Alibaba adds the validity period of the domain to the end of the address.
 */
export const aliyunA: SignedQuery = ({ address, expiresAtSeconds, key }) => {
  const claim = `${expiresAtSeconds}-0-0`
  const { pathname } = new URL(address)
  const hash = createHash('md5').update(`${pathname}-${claim}-${key}`).digest('hex')
  return `auth_key=${claim}-${hash}`
}
