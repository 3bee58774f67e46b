import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, mock, test } from 'node:test'
import fc from 'fast-check'
import { workplace, wordsOf, type Workplace } from '../cli/_cli.ts'
import { steps, type Action } from '../engines/_actions.ts'
import { assertAlike } from '../engines/_byte-for-byte.ts'
import { questions } from '../engines/_questions.ts'
import { START } from '../engines/_records.ts'
import { SITES } from '../engines/_site.ts'
import { Twin, type Answer } from '../engines/_twin.ts'
import { addSecrets, SECRETS, startTwin } from '../engines/_twins.ts'
import { runs, SEED } from '../_random.ts'
import { addTheRest, QUESTIONS as OTHERS, requireSubstance, withoutRun } from './_everything.ts'

const ACTIONS = runs(600, 80)
const QUESTIONS = runs(10_000, 300)

describe(`a restored service, seed ${SEED}`, () => {
  let place: Workplace
  before(async () => {
    place = await workplace()
    mock.timers.enable({ apis: ['Date'], now: START })
  })
  after(async () => {
    mock.timers.reset()
    await place[Symbol.asyncDispose]()
  })

  const run = async (...args: string[]): Promise<void> => {
    const result = await place.runProcess(args)
    assert.deepEqual([result.code, wordsOf(result)], [0, ''])
  }

  test(`gives the same ${QUESTIONS} answers as the one that was destroyed, and ${OTHERS.length} of /manage/v1 and commands`, async (t) => {
    const folder = join(place.folder, 'data')
    const sent = fc.sample(questions(SECRETS), { numRuns: QUESTIONS, seed: SEED })
    const answers: Answer[] = []
    const others = new Map<Action, Answer>()
    {
      await using twin = new Twin(await startTwin({ folder, site: SITES[0]! }))
      await addSecrets(twin.service)
      const all = fc.sample(steps(SECRETS), { numRuns: ACTIONS, seed: SEED })
      for (const [at, { action, milliseconds }] of all.entries()) {
        mock.timers.setTime(Date.now() + milliseconds)
        await twin.act(action)
        // The second backup builds on the first one, between which days were sealed and changed.
        if (at === Math.floor(ACTIONS / 2)) await run('backup', 'backups', '--data', folder)
      }
      await addTheRest(twin)
      await run('backup', 'backups', '--data', folder, '--verify')
      for (const one of sent) answers.push(await twin.send(one))
      for (const one of OTHERS) others.set(one, withoutRun(one, await twin.act(one)))
    }
    requireSubstance(others)
    await rm(folder, { recursive: true })

    await run('restore', 'backups', '--data', folder)
    await using twin = new Twin(await startTwin({ folder }))
    // The connection of an unknown client has other headers.
    await twin.act(OTHERS[0]!)

    const statuses = new Map<number, number>()
    for (const [at, one] of sent.entries()) {
      const answer = await twin.send(one)
      const what = () => `${at}: ${JSON.stringify(one)}`
      assertAlike(answers[at]!, answer, what, 'The restored service differs')
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    }
    for (const [one, before] of others)
      assertAlike(
        before,
        withoutRun(one, await twin.act(one)),
        () => JSON.stringify(one),
        'The restored service differs',
      )
    t.diagnostic(JSON.stringify(Object.fromEntries(statuses)))
    assert.ok((statuses.get(200) ?? 0) > QUESTIONS / 3)
  })
})
