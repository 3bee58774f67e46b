import type { AlarmFilter } from '@plumbline/contract'
import { randomNumbers } from './statistics.ts'
import { ALARM_SPAN, FIRST_ALARM, localTime, STRUCTURES } from './stored-alarms.ts'

export type AlarmQueries = {
  name: string
  filter(): AlarmFilter
  /** The greatest 99th percentile of the response time, in milliseconds. */
  target?: 20 | 150
  /** Any page there is, the first few, or the newest first. */
  pages: 'any' | 'first' | 'newest'
  limit?: number
}

const random = randomNumbers(11)
export const below = (limit: number): number => Math.floor(random() * limit)
export const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)]!
const some = <Value>(values: readonly Value[]): Value[] => {
  const share = random()
  return values.filter(() => random() < share)
}
const maybe = <Part extends object>(make: () => Part): Partial<Part> =>
  random() < 0.5 ? make() : {}

const time = (): string => localTime(FIRST_ALARM + random() * ALARM_SPAN)
const window = () => {
  const [startTime = '', endTime = ''] = [time(), time()].toSorted()
  return { startTime, endTime }
}
const oneDay = () => {
  const startTime = time()
  return { startTime, endTime: `${startTime.slice(0, 10)} 23:59:59` }
}
export const status = () => pick(['new', 'history'] as const)
const structures = () => ({ structures: some(STRUCTURES) })
const twoStructures = () => ({ structures: [pick(STRUCTURES), pick(STRUCTURES)] })

const FREQUENT = ['level 2', 'station', 'threshold', '应变: ', '(80,+)', 'level', 'Strain', '测点']
const SHORT = ['a', '7', '沉', '12', '应变', '-1', 'mm', '.']
const CHINESE = ['应变', '沉降', '测点', '沉', '应变: ', '测点 SG-7', '位移计']
const rare = (): string =>
  pick([
    `SG-${1000 + below(4000)}`,
    `${below(150)}.${100 + below(900)}`,
    `: ${below(150)}.${10 + below(90)}`,
    `${below(150)}mm`,
  ])
const absent = (): string => pick(['100%', '_', 'nowhere', '没有', `SG-${10_000 + below(9_000)}`])
const keyword = (): string =>
  pick([() => pick(FREQUENT), () => pick(SHORT), () => pick(CHINESE), rare, absent])()

const keywords = (name: string, make: () => string): AlarmQueries => ({
  name: `by ${name}, any page`,
  filter: () => ({ keywords: make() }),
  target: 150,
  pages: 'any',
})

const combination = (): AlarmFilter => ({
  ...maybe(structures),
  ...maybe(() => ({ status: status() })),
  ...maybe(() => ({ levels: some([1, 2, 3]) })),
  ...maybe(() => ({ types: some([1, 2, 3, 4, 5]) })),
  ...maybe(() => pick([window, oneDay])()),
  ...maybe(() => ({ keywords: keyword() })),
})

export const ALARM_QUERIES: readonly AlarmQueries[] = [
  { name: 'new, newest first', filter: () => ({ status: 'new' }), target: 20, pages: 'newest' },
  {
    name: 'new of some structures',
    filter: () => ({ status: 'new', ...structures() }),
    target: 20,
    pages: 'first',
  },
  { name: 'of two structures, newest first', filter: twoStructures, target: 20, pages: 'newest' },
  {
    name: 'history of some structures',
    filter: () => ({ status: 'history', ...structures() }),
    target: 20,
    pages: 'first',
  },
  { name: 'no filter', filter: () => ({}), target: 20, pages: 'first' },
  { name: 'no filter, any page', filter: () => ({}), target: 150, pages: 'any' },
  { name: 'of two structures, any page', filter: twoStructures, target: 150, pages: 'any' },
  {
    name: 'by level, category and status, any page',
    filter: () => ({ levels: [1 + below(3)], types: [1 + below(3)], status: status() }),
    target: 150,
    pages: 'any',
  },
  { name: 'in a window of any length, any page', filter: window, target: 150, pages: 'any' },
  { name: 'in one day, any page', filter: oneDay, target: 150, pages: 'any' },
  keywords('a frequent keyword', () => pick(FREQUENT)),
  keywords('a keyword of one or two characters', () => pick(SHORT)),
  keywords('a Chinese keyword', () => pick(CHINESE)),
  keywords('a rare keyword', rare),
  keywords('a keyword that none has', absent),
  {
    name: 'by everything together, any page',
    filter: () => ({
      ...window(),
      ...structures(),
      levels: [1, 2],
      types: [1, 2, 3],
      status: 'history',
      keywords: keyword(),
    }),
    target: 150,
    pages: 'any',
  },
  { name: 'any combination, any page', filter: combination, target: 150, pages: 'any' },
  { name: 'no filter, any page of 1,000', filter: () => ({}), pages: 'any', limit: 1_000 },
]
