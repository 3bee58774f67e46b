import { RULES, type Form } from './draft.ts'

export type Problem =
  | 'noStation'
  | 'noItem'
  | 'noNumber'
  | 'noLevel'
  | 'levelTwice'
  | 'noIntervals'
  | 'endsSwapped'
  | 'noClock'
  | 'sameClocks'
  | 'empty'
  | 'nothing'

const NUMBER = /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i
const CLOCK = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/
const PAIR = /^[([]\s*([^,()[\]]+?)\s*,\s*([^,()[\]]+?)\s*[)\]]$/

/** What is wrong with a form, by the place of the field; the service checks again, and more. */
export function findProblems(form: Form): Record<string, Problem> {
  const found: Record<string, Problem> = {}
  const add = (place: string, problem: Problem | undefined): void => {
    if (problem !== undefined) found[place] ??= problem
  }
  if (form.stations.length === 0) add('stations', 'noStation')
  if (form.items.length === 0) add('items', 'noItem')
  for (const [name, text] of Object.entries(form.settings)) add(`settings.${name}`, optional(text))
  for (const [at, { slots, rules, timeDivision }] of form.items.entries()) {
    const item = `items.${at}`
    if (slots.length === 0 && rules.length === 0) add(item, 'nothing')
    for (const [slotAt, slot] of slots.entries()) {
      const place = `${item}.slots.${slotAt}`
      if (timeDivision) {
        add(`${place}.start`, CLOCK.test(slot.start) ? undefined : 'noClock')
        add(`${place}.end`, CLOCK.test(slot.end) ? undefined : 'noClock')
        if (slot.start === slot.end) add(`${place}.end`, 'sameClocks')
      }
      for (const [levelAt, { level, value }] of slot.levels.entries()) {
        add(`${place}.levels.${levelAt}.level`, levelProblem(level, slot.levels.slice(0, levelAt)))
        add(`${place}.levels.${levelAt}.value`, intervalsProblem(value))
      }
    }
    for (const [ruleAt, rule] of rules.entries()) {
      const place = `${item}.rules.${ruleAt}`
      for (const { name, type, isRequired } of RULES[rule.kind].fields) {
        const value = rule.fields[name]
        if (type !== 'number' || typeof value !== 'string') continue
        if (isRequired && value.trim() === '') add(`${place}.${name}`, 'empty')
        else add(`${place}.${name}`, optional(value))
      }
      for (const [levelAt, { level, value }] of rule.levels.entries()) {
        add(`${place}.levels.${levelAt}.level`, levelProblem(level, rule.levels.slice(0, levelAt)))
        add(`${place}.levels.${levelAt}.value`, NUMBER.test(value) ? undefined : 'noNumber')
      }
    }
  }
  return found
}

const optional = (text: string): Problem | undefined =>
  text.trim() === '' || NUMBER.test(text) ? undefined : 'noNumber'

function levelProblem(level: string, before: readonly { level: string }[]): Problem | undefined {
  if (!/^[1-9]\d?$/.test(level.trim())) return 'noLevel'
  return before.some((one) => Number(one.level) === Number(level)) ? 'levelTwice' : undefined
}

/** Also full-width punctuation, which Chinese keyboards type and the service takes. */
export function intervalsProblem(text: string): Problem | undefined {
  const plain = toPlain(text)
  if (plain.trim() === '') return 'empty'
  for (const part of plain.split(';')) {
    const [, low = '', high = ''] = PAIR.exec(part.trim()) ?? []
    if (!(low === '-' || NUMBER.test(low)) || !(high === '+' || NUMBER.test(high)))
      return 'noIntervals'
    if (low !== '-' && high !== '+' && Number(low) > Number(high)) return 'endsSwapped'
  }
  return undefined
}

const FULL_WIDTH = '（）［］【】；，－＋．'
const ASCII = '()[][];,-+.'

export const toPlain = (text: string): string =>
  Array.from(text, (character) => {
    const at = FULL_WIDTH.indexOf(character)
    return at < 0 ? character : ASCII.charAt(at)
  }).join('')
