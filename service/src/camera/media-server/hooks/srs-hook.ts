import { grantIn, textMember, type HookRequest } from './hook-request.ts'

/**
 * Reads the body of `on_play` and `on_publish` of SRS; undefined for any other
 * (https://ossrs.io/lts/en-us/docs/v6/doc/http-callback).
 */
export function readSrsHook(body: unknown): HookRequest | undefined {
  const path = textMember(body, 'stream')
  const action = textMember(body, 'action')
  if (path === undefined || (action !== 'on_play' && action !== 'on_publish')) return undefined
  return {
    path,
    action: action === 'on_play' ? 'play' : 'publish',
    grant: grantIn(textMember(body, 'param') ?? ''),
  }
}
