import type { PlaybackGrants } from '../../grants/playback-grants.ts'
import { grantIn, isPermitted } from '../hooks/hook-request.ts'
import { parsePathName } from '../path-name.ts'
import type { MediaMtxApi } from './mediamtx-api.ts'

/** The kinds of sessions that may have begun with a grant. */
const KINDS = [
  'hlssessions',
  'rtmpconns',
  'rtmpsconns',
  'rtspsessions',
  'rtspssessions',
  'webrtcsessions',
  'srtconns',
] as const

/**
 * Ends the sessions of MediaMTX whose grant does not hold any more: MediaMTX asks for it only when a
 * session begins. Sessions without a grant, and those of other paths, are left alone.
 */
export async function endExpiredSessions(
  api: MediaMtxApi,
  grants: Pick<PlaybackGrants, 'check'>,
  signal: AbortSignal,
): Promise<void> {
  for (const kind of KINDS)
    for (const session of await api.listSessions(kind, signal)) {
      const { path, query } = session
      const grant = grantIn(query)
      if (grant === undefined || parsePathName(path) === undefined) continue
      if (!(await isPermitted({ path, action: 'play', grant }, grants)))
        await api.endSession(session, signal)
    }
}
