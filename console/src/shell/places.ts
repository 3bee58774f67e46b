import type { IconName } from '../design/icons.ts'
import type { ViewName } from '../routes.ts'
import type { Scope } from '../state/session.svelte.ts'

/** An entry of the navigation. Those of a structure lead to the one that was shown last. */
export type Place = {
  view: ViewName
  icon: IconName
  scope: Scope
  path: (structureId: number) => string
}

const place = (view: ViewName & IconName, path: Place['path'], scope: Scope = 'read'): Place => ({
  view,
  icon: view,
  scope,
  path,
})

export const SITE_PLACES: readonly Place[] = [
  place('overview', () => '/'),
  place('alarms', () => '/alarms'),
]

export const STRUCTURE_PLACES: readonly Place[] = [
  place('structure', (id) => `/structures/${id}`),
  place('vibration', (id) => `/structures/${id}/vibration`),
  place('traffic', (id) => `/structures/${id}/traffic`),
  place('cameras', (id) => `/structures/${id}/cameras`),
  place('thresholds', (id) => `/structures/${id}/thresholds`),
]

export const ADMINISTRATION_PLACES: readonly Place[] = [
  place('operate', () => '/operate', 'operate'),
  place('accounts', () => '/accounts', 'admin'),
]
