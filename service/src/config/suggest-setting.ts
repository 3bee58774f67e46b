import { didYouMean } from '../schemas/near-miss.ts'
import { environmentName, SETTING_NAMES } from './settings.ts'

/** Settings of other sections in one suggestion. */
const ELSEWHERE_MAXIMUM = 3

const COMMAND_VARIABLES = ['PLUMBLINE_DATA', 'PLUMBLINE_CONFIG']

/** Returns ` (did you mean http.port?)` for an unknown setting, or which ones there are. */
export function suggestSetting(name: string): string {
  const hint = didYouMean(name, SETTING_NAMES)
  if (hint !== '') return hint
  const [section = ''] = name.split('.')
  const ofSection = SETTING_NAMES.filter((setting) => setting.startsWith(`${section}.`))
  if (ofSection.length > 0) return `; the settings of ${section} are ${ofSection.join(', ')}`
  const elsewhere = SETTING_NAMES.filter((setting) => lastOf(setting) === lastOf(name))
  if (elsewhere.length > 0 && elsewhere.length <= ELSEWHERE_MAXIMUM)
    return ` (did you mean ${elsewhere.join(' or ')}?)`
  const sections = new Set(SETTING_NAMES.map((setting) => setting.split('.')[0]))
  return `; the sections are ${Array.from(sections).join(', ')}`
}

/** Returns ` (did you mean PLUMBLINE_HTTP_PORT?)` for an unknown variable, or where all are listed. */
export const suggestVariable = (name: string): string =>
  didYouMean(name, [...SETTING_NAMES.map(environmentName), ...COMMAND_VARIABLES]) ||
  '; docs/plumbline.sample.yaml names all variables'

const lastOf = (name: string): string | undefined => name.split('.').at(-1)
