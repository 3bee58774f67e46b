import { grantIn, hasMember, textMember, type HookRequest } from './hook-request.ts'

/**
 * Reads the body of `on_play` and `on_publish` of ZLMediaKit; undefined for any other
 * (https://docs.zlmediakit.com/guide/media_server/web_hook_api.html).
 *
 * The body does not name its event. Only that of `on_publish` has an `originType`, since 2021.
 */
export function readZlMediaKitHook(body: unknown): HookRequest | undefined {
  const path = textMember(body, 'stream')
  const params = textMember(body, 'params')
  if (path === undefined || params === undefined) return undefined
  return {
    path,
    action: hasMember(body, 'originType') ? 'publish' : 'play',
    grant: grantIn(params),
  }
}
