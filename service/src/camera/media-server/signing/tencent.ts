import { createHash } from 'node:crypto'
import type { SignedQuery } from './signed-query.ts'

/**
 * Playback authentication of Tencent Cloud CSS (https://www.tencentcloud.com/document/product/267/31560).
 * Tencent adds the validity period of the key to the end of the address.
 */
export const tencent: SignedQuery = ({ address, expiresAtSeconds, key }) => {
  const txTime = expiresAtSeconds.toString(16).toUpperCase()
  const hash = createHash('md5').update(`${key}${streamName(address)}${txTime}`)
  return `txSecret=${hash.digest('hex')}&txTime=${txTime}`
}

/** The last step of the path, without `.m3u8` or `.flv`. */
function streamName(address: string): string {
  const [, last = ''] = /([^/]*)$/.exec(decodeURIComponent(new URL(address).pathname)) ?? []
  return last.replace(/\.(m3u8|flv)$/i, '')
}
