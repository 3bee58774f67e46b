import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Statement } from '../../sql/statement.ts'
import { WriteQueue, type Job } from './write-queue.ts'

const writeTo = (sources: readonly number[]): Statement[] => [
  { sql: '', width: 0, values: [], locks: { kind: 'theme', sources, isShared: false } },
]

const sourcesOf = ({ statements }: Job<void>): (number | string)[] =>
  statements.flatMap(({ locks }): (number | string)[] => [...(locks?.sources ?? [])])

type Step = { sources: number[] } | 'take' | 'release'

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      arbitrary: fc.record({ sources: fc.uniqueArray(fc.nat(4), { maxLength: 3 }) }),
      weight: 3,
    },
    { arbitrary: fc.constantFrom('take' as const, 'release' as const), weight: 2 },
  ),
  { maxLength: 60, size: 'max' },
)

test('writes of a source are taken in their order, and never by two transactions at once', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 4 }), (given, most) => {
      const queue = new WriteQueue<void>()
      const due = new Map<number | string, Statement[][]>()
      const underWay: Job<void>[][] = []
      const held = () => new Set(underWay.flat().flatMap(sourcesOf))
      const counts = { added: 0, taken: 0 }

      const take = (): number => {
        const before = held()
        const jobs = queue.take(most)
        assert.ok(jobs.length <= most)
        for (const job of jobs)
          for (const source of sourcesOf(job)) {
            assert.ok(!before.has(source), `source ${source} is written by two transactions`)
            assert.equal(due.get(source)?.shift(), job.statements, `order of source ${source}`)
          }
        counts.taken += jobs.length
        if (jobs.length > 0) underWay.push(jobs)
        return jobs.length
      }

      for (const step of given)
        if (step === 'take') take()
        else if (step === 'release') queue.release(underWay.shift() ?? [])
        else {
          const statements = writeTo(step.sources)
          const isWanted = step.sources.some(
            (source) => held().has(source) || (due.get(source) ?? []).length > 0,
          )
          assert.equal(queue.add(statements).isBlocked, isWanted)
          for (const source of step.sources)
            due.set(source, [...(due.get(source) ?? []), statements])
          counts.added++
        }

      for (const jobs of underWay.splice(0)) queue.release(jobs)
      while (counts.taken < counts.added) {
        assert.ok(take() > 0, 'a write waits though none is under way')
        for (const jobs of underWay.splice(0)) queue.release(jobs)
      }
    }),
  )
})
