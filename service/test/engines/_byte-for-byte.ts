import assert from 'node:assert/strict'
import { after, before, describe, mock, test } from 'node:test'
import fc from 'fast-check'
import { SEED } from '../_random.ts'
import { steps } from './_actions.ts'
import { questions } from './_questions.ts'
import { START } from './_records.ts'
import type { Answer } from './_twin.ts'
import { SECRETS, Twins, type TwinDatabase } from './_twins.ts'

/** How often something was asked or done, by status or exit code. */
type Counts = Map<number, number>

/** Both engines do the same, and give the same bytes. */
export const describeTwins = (
  name: string,
  { count, newDatabase }: { count: number; newDatabase(): Promise<TwinDatabase> },
): void =>
  void describe(`SQLite and ${name}, seed ${SEED}`, () => {
    let twins: Twins
    before(async () => {
      mock.timers.enable({ apis: ['Date'], now: START })
      twins = await Twins.open(newDatabase)
    })
    after(async () => {
      await twins[Symbol.asyncDispose]()
      mock.timers.reset()
    })

    test(`${count} random actions have the same outcome in both`, async (t) => {
      const counts: Counts = new Map()
      let at = 0

      for (const { action, milliseconds } of fc.sample(steps(SECRETS), {
        numRuns: count,
        seed: SEED,
      })) {
        mock.timers.setTime(Date.now() + milliseconds)
        const [one, other] = await Promise.all([
          twins.sqlite.act(action),
          twins.postgres.act(action),
        ])
        assertAlike(one, other, () => `action ${at}: ${JSON.stringify(action)}`)
        note(counts, one)
        at++
      }

      t.diagnostic(JSON.stringify(Object.fromEntries(counts)))
      assert.ok((counts.get(200) ?? 0) > count / 3)
    })

    test(`${count} random requests to the 17 operations get the same status, headers and bytes`, async (t) => {
      const counts: Counts = new Map()

      for (const sent of fc.sample(questions(SECRETS), { numRuns: count, seed: SEED })) {
        const [one, other] = await Promise.all([twins.sqlite.send(sent), twins.postgres.send(sent)])
        assertAlike(one, other, () => JSON.stringify(sent))
        note(counts, one)
      }

      t.diagnostic(JSON.stringify(Object.fromEntries(counts)))
      assert.ok((counts.get(200) ?? 0) > count / 3)
    })
  })

function note(counts: Counts, { status }: Answer): void {
  counts.set(status, (counts.get(status) ?? 0) + 1)
}

/** Of texts and bytes that differ, the neighbourhood is shown: a body may be long. */
export function assertAlike(
  one: Answer,
  other: Answer,
  what: () => string,
  differs = 'PostgreSQL differs from SQLite',
): void {
  const isSameText = one.text === other.text
  const isSame = isSameText && one.bytes.equals(other.bytes)
  if (isSame && one.status === other.status && one.headers === other.headers) return
  const message = `${differs} in ${what()}`.slice(0, 3_000)
  const first = Array.from(one.text).findIndex((character, at) => character !== other.text[at])
  const shown = ({ status, headers, text }: Answer) => ({
    status,
    headers,
    text: isSameText ? 'the same' : text.slice(Math.max(0, first - 200), Math.max(0, first) + 200),
  })
  assert.deepEqual(shown(other), shown(one), message)
  assert.fail(`the same text in other bytes: ${message}`)
}
