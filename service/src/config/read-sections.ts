import { isObject } from '../json/is-object.ts'
import type { ValuePath } from '../schemas/value-path.ts'
import { suggestSetting } from './suggest-setting.ts'
import { isSettingName, SETTING_NAMES, type SettingName } from './settings.ts'

/** A value of the settings file and its path there. */
export type FileValue = { value: unknown; path: ValuePath }

type Report = (path: ValuePath, sentence: string) => void

/** Finds the settings in the sections of a file, and reports each key that is none. */
export function readSections(
  sections: unknown,
  report: Report,
): ReadonlyMap<SettingName, FileValue> {
  const found = new Map<SettingName, FileValue>()
  if (isObject(sections)) readSection(sections, [], found, report)
  else if (sections !== null && sections !== undefined)
    report([], 'the file must contain sections such as "http:"')
  return found
}

function readSection(
  section: Readonly<Record<string, unknown>>,
  path: readonly string[],
  found: Map<SettingName, FileValue>,
  report: Report,
): void {
  for (const [key, value] of Object.entries(section)) {
    const place = [...path, key]
    const name = place.join('.')
    // A section of comments only is null, and so is a setting without a value.
    if (isSettingName(name)) {
      if (value !== null) found.set(name, { value, path: place })
    } else if (!isSection(name)) reportUnknown(place, value, report)
    else if (isObject(value)) readSection(value, place, found, report)
    else if (value !== null)
      report(place, `there is no setting "${name}": it is a section, its settings stand below it`)
  }
}

/** Reports a key that is neither a setting nor a section: each setting below it. */
function reportUnknown(path: readonly string[], value: unknown, report: Report): void {
  const inner = isObject(value) ? Object.keys(value) : []
  const places = inner.length === 0 ? [path] : inner.map((key) => [...path, key])
  for (const place of places) {
    const name = place.join('.')
    report(place, `there is no setting ${JSON.stringify(name)}${suggestSetting(name)}`)
  }
}

const isSection = (name: string): boolean =>
  SETTING_NAMES.some((setting) => setting.startsWith(`${name}.`))
