import { createHash } from 'node:crypto'
import type { SignedQuery } from './signed-query.ts'

/**
 * The query that nginx checks with `secure_link $arg_md5,$arg_expires` and
 * `secure_link_md5 "$secure_link_expires$uri SECRET"`
 * (https://nginx.org/en/docs/http/ngx_http_secure_link_module.html).
 */
export const nginxSecureLink: SignedQuery = ({ address, expiresAtSeconds, key }) => {
  const hash = createHash('md5').update(`${expiresAtSeconds}${normalPath(address)} ${key}`)
  return `md5=${hash.digest('base64url')}&expires=${expiresAtSeconds}`
}

/** nginx writes `$uri` decoded, and slashes in a row as one. */
const normalPath = (address: string): string =>
  decodeURIComponent(new URL(address).pathname).replace(/\/{2,}/g, '/')
