import type { Component } from 'svelte'
import type { Scope } from './state/session.svelte.ts'

export type ViewName =
  | 'overview'
  | 'structure'
  | 'station'
  | 'vibration'
  | 'traffic'
  | 'alarms'
  | 'thresholds'
  | 'cameras'
  | 'operate'
  | 'accounts'
  | 'account'

export type Route = {
  /** Which part of the console it belongs to; its texts have the title. */
  view: ViewName
  path: string
  /** What a role must be allowed to see it. */
  scope: Scope
  load(): Promise<{ default: Component<Record<string, string>> }>
}

const route = (
  view: ViewName,
  path: string,
  scope: Scope,
  load: () => Promise<{ default: unknown }>,
) => ({ view, path, scope, load }) as Route

/** Every page, with the component that is loaded for it; the parameters of its path are its props. */
export const ROUTES: readonly Route[] = [
  route('overview', '/', 'read', () => import('./views/overview/Overview.svelte')),
  route(
    'structure',
    '/structures/:structureId',
    'read',
    () => import('./views/structure/Structure.svelte'),
  ),
  route('station', '/stations/:stationIds', 'read', () => import('./views/station/Station.svelte')),
  route(
    'vibration',
    '/structures/:structureId/vibration',
    'read',
    () => import('./views/vibration/Vibration.svelte'),
  ),
  route(
    'traffic',
    '/structures/:structureId/traffic',
    'read',
    () => import('./views/traffic/Traffic.svelte'),
  ),
  route(
    'cameras',
    '/structures/:structureId/cameras',
    'read',
    () => import('./views/cameras/Cameras.svelte'),
  ),
  route(
    'thresholds',
    '/structures/:structureId/thresholds',
    'read',
    () => import('./views/thresholds/Thresholds.svelte'),
  ),
  route('alarms', '/alarms', 'read', () => import('./views/alarms/Alarms.svelte')),
  route('alarms', '/alarms/:alarmId', 'read', () => import('./views/alarms/Alarms.svelte')),
  route('operate', '/operate', 'operate', () => import('./views/operate/Operate.svelte')),
  route('operate', '/operate/:part', 'operate', () => import('./views/operate/Operate.svelte')),
  route('accounts', '/accounts', 'admin', () => import('./views/accounts/Accounts.svelte')),
  route('accounts', '/audit', 'admin', () => import('./views/accounts/Audit.svelte')),
  route('account', '/account', 'read', () => import('./views/account/Account.svelte')),
]
