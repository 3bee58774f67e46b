import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { AuditLine } from '@plumbline/contract'
import { AuditChain, auditHash, FIRST_HASH } from './audit-hash.ts'

const newLine = fc.record({
  at: fc.nat(),
  who: fc.record({ kind: fc.constantFrom('account', 'command'), name: fc.string() }),
  address: fc.option(fc.string()),
  operation: fc.string(),
  target: fc.option(fc.string()),
  before: fc.jsonValue(),
  after: fc.jsonValue(),
  outcome: fc.string(),
})

function chain(lines: readonly object[]): AuditLine[] {
  let before = FIRST_HASH
  return lines.map((line, at) => {
    const whole = { seq: at + 1, ...line } as AuditLine
    before = auditHash(before, whole)
    return { ...whole, hash: before }
  })
}

const follow = (lines: readonly AuditLine[]) => {
  const followed = new AuditChain()
  return lines.map((line) => followed.follow(line)).find((problem) => problem !== undefined)
}

test('a whole chain has no problem', () => {
  fc.assert(fc.property(fc.array(newLine), (lines) => follow(chain(lines)) === undefined))
})

test('a line that was changed, removed, or moved is found', () => {
  const lines = fc.array(newLine, { minLength: 2, maxLength: 6 })
  fc.assert(
    fc.property(lines, fc.nat(), fc.constantFrom('at', 'outcome', 'gone'), (made, place, kind) => {
      const whole = chain(made)
      // The end of a chain can be cut off unseen: `verify` compares it with a noted end.
      const index = place % (whole.length - 1)
      const line = whole[index]!
      if (kind === 'gone') whole.splice(index, 1)
      else if (kind === 'at') whole[index] = { ...line, at: line.at + 1 }
      else whole[index] = { ...line, outcome: `${line.outcome}x` }
      assert.match(follow(whole) ?? '', /^Lines? /)
    }),
  )
})
