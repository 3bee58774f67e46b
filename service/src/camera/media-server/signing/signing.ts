import type { SigningScheme } from '../../../domain/cameras/signing-scheme.ts'
import { aliyunA } from './aliyun-a.ts'
import { nginxSecureLink } from './nginx-secure-link.ts'
import type { SignedQuery, SigningInput } from './signed-query.ts'
import { tencent } from './tencent.ts'

/** `grant` adds nothing: the media server asks the service whether the grant in the address holds. */
const SIGNED_QUERIES: Readonly<Record<SigningScheme, SignedQuery | undefined>> = {
  grant: undefined,
  'nginx-secure-link': nginxSecureLink,
  'aliyun-a': aliyunA,
  tencent,
}

/** Whether a scheme signs with a key. */
export const needsKey = (scheme: SigningScheme): boolean => SIGNED_QUERIES[scheme] !== undefined

/** Returns the address with the signature of a scheme in its query. */
export function signAddress(scheme: SigningScheme, input: SigningInput): string {
  const sign = SIGNED_QUERIES[scheme]
  if (sign === undefined) return input.address
  return `${input.address}${input.address.includes('?') ? '&' : '?'}${sign(input)}`
}
