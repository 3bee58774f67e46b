import type { Camera } from '@plumbline/client'
import { client } from '../../state/api.ts'

export type Quality = 'd' | 'h'
/** Where a camera plays: here, or at a media server whose streams this page may not load. */
export type Stream = { path: string } | { elsewhere: string }

const VALID_SECONDS = 3600
/** An address of the service: camera, quality, end, whose it is, and signature. */
const OWN_STREAM = /\/streams\/\d+\.[dh]\.\d+\.a?\d+\.[^/]+\/index\.m3u8$/

/** A new address at which a camera plays for an hour. */
export async function openStream(
  { serialNo, channelNo }: Camera,
  quality: Quality,
  signal: AbortSignal,
): Promise<Stream> {
  const asked = { serialNo, channelNo, protocol: 'hls', quality, expireTime: VALID_SECONDS }
  const { data } = await client.getCameraInfo(asked, { signal })
  const { pathname, search, href } = new URL(data.hls_url ?? '', location.href)
  // The service names itself by its public address, which need not be the one this page came from.
  return OWN_STREAM.test(pathname) ? { path: `${pathname}${search}` } : { elsewhere: href }
}
