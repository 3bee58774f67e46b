/** A threshold batch as in a site file, whose schema the service checks. */
export type Draft = {
  batchNo?: string
  stations: number[]
  items: ItemDraft[]
  enabled?: boolean
  raiseAfter?: { records?: number; of?: number; minutes?: number }
  clearAfter?: number
  clearAfterMinutes?: number
  needsPerson?: boolean
}

export type ItemDraft = {
  item: string
  timeDivision?: boolean
  config?: SlotDraft[]
  rates?: Rule[]
} & { [K in SingleRule]?: Rule }

export type SlotDraft = {
  startTime?: string | null
  endTime?: string | null
  thresholds: { level: number; value: string }[]
}

export type Rule = Record<string, unknown>
export type SingleRule = 'hysteresis' | 'range' | 'spike' | 'frozen' | 'design'
export type RuleKind = SingleRule | 'rates'

/** A batch while it is edited: numbers are the texts that were typed. */
export type Form = {
  stations: number[]
  items: ItemForm[]
  enabled: boolean
  needsPerson: boolean
  settings: Record<SettingName, string>
}

export type SettingName = 'records' | 'of' | 'minutes' | 'clearAfter' | 'clearAfterMinutes'

export type ItemForm = {
  item: string
  timeDivision: boolean
  slots: SlotForm[]
  rules: RuleForm[]
}

export type SlotForm = { start: string; end: string; levels: LevelForm[] }
export type LevelForm = { level: string; value: string }

export type RuleForm = {
  kind: RuleKind
  fields: Record<string, string | boolean>
  levels: LevelForm[]
  /** Members that the form does not show, such as a clause of a standard; they are kept. */
  rest: Rule
}

export type RuleField = {
  name: string
  type: 'number' | 'choice' | 'flag'
  isRequired?: boolean
  choices?: readonly string[]
  /** What is in force where nothing is entered. */
  byDefault?: string | boolean
  unit?: 'item' | 'hours' | 'minutes' | 'percent' | 'days' | 'records'
}

const number = (name: string, more: Partial<RuleField> = {}): RuleField => ({
  name,
  type: 'number',
  ...more,
})
const choice = (name: string, choices: readonly string[], more: Partial<RuleField> = {}) =>
  ({ name, type: 'choice', choices, byDefault: choices[0]!, ...more }) satisfies RuleField

/** The members of each rule that the form shows; `levels` names the limit of one that has levels. */
export const RULES: Readonly<
  Record<RuleKind, { fields: readonly RuleField[]; levels?: 'limit' | 'percent' }>
> = {
  hysteresis: {
    fields: [number('value', { unit: 'item' }), number('percent', { unit: 'percent' })],
  },
  rates: {
    fields: [
      choice('per', ['hour', 'day']),
      choice('direction', ['both', 'rising', 'falling']),
      number('days', { unit: 'days' }),
      number('overMinutes', { unit: 'minutes' }),
      number('longestGap', { byDefault: '10' }),
      { name: 'consecutive', type: 'flag', byDefault: false },
    ],
    levels: 'limit',
  },
  range: {
    fields: [
      number('low', { unit: 'item' }),
      number('high', { unit: 'item' }),
      number('level', { isRequired: true }),
      choice('quality', ['bad', 'uncertain', 'good']),
    ],
  },
  spike: {
    fields: [
      number('deviation', { unit: 'item', isRequired: true }),
      choice('records', ['5', '3', '7', '9', '11', '13', '15'], { unit: 'records' }),
      choice('quality', ['uncertain', 'bad']),
    ],
  },
  frozen: {
    fields: [
      number('hours', { unit: 'hours', isRequired: true }),
      number('epsilon', { unit: 'item', byDefault: '0' }),
      number('records', { unit: 'records', byDefault: '5' }),
      number('level', { isRequired: true }),
      choice('quality', ['uncertain', 'bad', 'good']),
    ],
  },
  design: {
    fields: [
      number('value', { unit: 'item', isRequired: true }),
      { name: 'isSymmetric', type: 'flag', byDefault: true },
    ],
    levels: 'percent',
  },
}

export const RULE_KINDS = Object.keys(RULES) as RuleKind[]
/** An item may have several limits of its rate of change, and one of each other rule. */
export const mayRepeat = (kind: RuleKind): boolean => kind === 'rates'

export const newForm = (item: string): Form => ({
  stations: [],
  items: [newItem(item)],
  enabled: true,
  needsPerson: false,
  settings: { records: '', of: '', minutes: '', clearAfter: '', clearAfterMinutes: '' },
})

export const newItem = (item: string): ItemForm => ({
  item,
  timeDivision: false,
  slots: [newSlot()],
  rules: [],
})

export const newSlot = (): SlotForm => ({
  start: '',
  end: '',
  levels: [{ level: '1', value: '' }],
})

export const newRule = (kind: RuleKind, rule: Rule = {}): RuleForm => {
  const { fields, levels } = RULES[kind]
  const shown = fields.map(({ name, type, byDefault }): [string, string | boolean] => {
    const value = rule[name]
    if (type === 'flag') return [name, value === undefined ? byDefault === true : value === true]
    if (value !== undefined) return [name, String(value)]
    return [name, type === 'choice' ? String(byDefault) : '']
  })
  const names = new Set([...fields.map(({ name }) => name), ...(levels ? ['levels'] : [])])
  const limits = (rule['levels'] ?? [{ level: 1, [levels ?? '']: '' }]) as Rule[]
  return {
    kind,
    fields: Object.fromEntries(shown),
    levels: levels
      ? limits.map((one) => ({ level: String(one['level']), value: String(one[levels] ?? '') }))
      : [],
    rest: Object.fromEntries(Object.entries(rule).filter(([name]) => !names.has(name))),
  }
}

export function toForm(draft: Draft): Form {
  const { raiseAfter = {} } = draft
  return {
    stations: [...draft.stations],
    items: draft.items.map(toItemForm),
    enabled: draft.enabled ?? true,
    needsPerson: draft.needsPerson ?? false,
    settings: {
      records: text(raiseAfter.records),
      of: text(raiseAfter.of),
      minutes: text(raiseAfter.minutes),
      clearAfter: text(draft.clearAfter),
      clearAfterMinutes: text(draft.clearAfterMinutes),
    },
  }
}

const text = (value: number | undefined): string => (value === undefined ? '' : String(value))

const toItemForm = (draft: ItemDraft): ItemForm => ({
  item: draft.item,
  timeDivision: draft.timeDivision ?? false,
  slots: (draft.config ?? []).map(({ startTime, endTime, thresholds }) => ({
    start: startTime ?? '',
    end: endTime ?? '',
    levels: thresholds.map(({ level, value }) => ({ level: String(level), value })),
  })),
  rules: RULE_KINDS.flatMap((kind) => {
    const rules = kind === 'rates' ? (draft.rates ?? []) : draft[kind] ? [draft[kind]] : []
    return rules.map((rule) => newRule(kind, rule))
  }),
})

/** What the service takes. A text that is no number stays out: `problems` says so first. */
export function toDraft(form: Form): Draft {
  const { records, of, minutes, clearAfter, clearAfterMinutes } = form.settings
  const raiseAfter = numbers({ records, of, minutes })
  return {
    stations: form.stations,
    items: form.items.map(toItemDraft),
    ...(!form.enabled && { enabled: false }),
    ...(Object.keys(raiseAfter).length > 0 && { raiseAfter }),
    ...numbers({ clearAfter, clearAfterMinutes }),
    ...(form.needsPerson && { needsPerson: true }),
  }
}

function toItemDraft({ item, timeDivision, slots, rules }: ItemForm): ItemDraft {
  const rates = rules.filter(({ kind }) => kind === 'rates').map(toRule)
  const single = rules
    .filter(({ kind }) => kind !== 'rates')
    .map((rule) => [rule.kind, toRule(rule)])
  return {
    item,
    ...(timeDivision && { timeDivision }),
    ...(slots.length > 0 && {
      config: slots.map(({ start, end, levels }) => ({
        ...(timeDivision && { startTime: start, endTime: end }),
        thresholds: levels.map(({ level, value }) => ({ level: Number(level), value })),
      })),
    }),
    ...Object.fromEntries(single),
    ...(rates.length > 0 && { rates }),
  }
}

function toRule({ kind, fields, levels, rest }: RuleForm): Rule {
  const { fields: known, levels: limit } = RULES[kind]
  const entries = known.flatMap(({ name, type, byDefault }): [string, unknown][] => {
    const value = fields[name]
    if (type === 'flag') return value === byDefault ? [] : [[name, value]]
    if (value === '' || value === undefined) return []
    if (type === 'choice' && value === byDefault && name !== 'per') return []
    return [[name, type === 'number' || /^\d+$/.test(String(value)) ? Number(value) : value]]
  })
  return {
    ...Object.fromEntries(entries),
    ...(limit && {
      levels: levels.map(({ level, value }) => ({ level: Number(level), [limit]: Number(value) })),
    }),
    ...rest,
  }
}

const numbers = (texts: Record<string, string>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(texts)
      .filter(([, text]) => text.trim() !== '')
      .map(([name, text]) => [name, Number(text)]),
  )
