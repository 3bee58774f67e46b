import { grantIn, textMember, type HookRequest } from './hook-request.ts'

/**
 * Reads the body that MediaMTX sends with `authMethod: http`; undefined for one about anything else than
 * a stream (https://mediamtx.org/docs/usage/authentication#http-based).
 */
export function readMediaMtxHook(body: unknown): HookRequest | undefined {
  const path = textMember(body, 'path')
  const action = textMember(body, 'action')
  if (path === undefined || (action !== 'read' && action !== 'publish')) return undefined
  return {
    path,
    action: action === 'read' ? 'play' : 'publish',
    grant: grantIn(textMember(body, 'query') ?? ''),
  }
}
