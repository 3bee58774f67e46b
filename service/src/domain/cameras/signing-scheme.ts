/** The ways in which an external media server checks an address of a stream. */
export const SIGNING_SCHEMES = ['grant', 'nginx-secure-link', 'aliyun-a', 'tencent'] as const

export type SigningScheme = (typeof SIGNING_SCHEMES)[number]
