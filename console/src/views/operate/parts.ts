import type { Component } from 'svelte'
import type { Scope } from '../../state/session.svelte.ts'

export type PartName =
  | 'status'
  | 'intake'
  | 'rejects'
  | 'imports'
  | 'notifications'
  | 'maintenance'
  | 'site'
  | 'applications'
  | 'keys'

type Part = { id: PartName; scope: Scope; load(): Promise<{ default: Component }> }

/** What a site is run with; each is a chunk of its own. */
export const PARTS: readonly Part[] = [
  { id: 'status', scope: 'admin', load: () => import('./status/Status.svelte') },
  { id: 'intake', scope: 'operate', load: () => import('./intake/Intake.svelte') },
  { id: 'rejects', scope: 'operate', load: () => import('./rejects/Rejects.svelte') },
  { id: 'imports', scope: 'operate', load: () => import('./imports/Imports.svelte') },
  {
    id: 'notifications',
    scope: 'operate',
    load: () => import('./notifications/Notifications.svelte'),
  },
  { id: 'maintenance', scope: 'operate', load: () => import('./maintenance/Maintenance.svelte') },
  { id: 'site', scope: 'admin', load: () => import('./site/Site.svelte') },
  { id: 'applications', scope: 'admin', load: () => import('./applications/Applications.svelte') },
  { id: 'keys', scope: 'admin', load: () => import('./applications/Keys.svelte') },
]
