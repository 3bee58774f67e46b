import { settings } from '../state/settings.svelte.ts'
import { en } from './en.ts'
import { zh } from './zh.ts'
import type { Texts } from './shape.ts'

const CATALOGUES = { en, zh } satisfies Record<string, Texts<typeof en>>

/** The texts of the language that is chosen: `texts.alarms.title`. Read in markup and `$derived`. */
export const texts: typeof en = new Proxy({} as typeof en, {
  get: (_target, name) => CATALOGUES[settings.language][name as keyof typeof en],
})
