import { createHash } from 'node:crypto'
import type { AuditLine } from '@plumbline/contract'

/** The hash before the first line. */
export const FIRST_HASH = '0'.repeat(64)

/** SHA-256 of the hash before and of the line as JSON, with its members in this order. */
export function auditHash(before: string, line: Omit<AuditLine, 'hash'>): string {
  const { seq, at, who, address, operation, target, outcome } = line
  const { kind, name } = who
  const text = JSON.stringify({
    seq,
    at,
    who: { kind, name },
    address,
    operation,
    target,
    before: line.before,
    after: line.after,
    outcome,
  })
  return createHash('sha256').update(Buffer.from(before, 'hex')).update(text).digest('hex')
}

/** Follows the chain of hashes line by line, and finds where it is broken. */
export class AuditChain {
  #seq = 0
  #hash = FIRST_HASH

  /** The last line that agrees with all before it. */
  get end(): { seq: number; hash: string } {
    return { seq: this.#seq, hash: this.#hash }
  }

  /** What is wrong with the next line; undefined where it agrees with all before it. */
  follow(line: AuditLine): string | undefined {
    const expected = this.#seq + 1
    if (line.seq < expected)
      return `Line ${line.seq} of the audit log stands before its first line, which is number 1.`
    if (line.seq !== expected)
      return line.seq === expected + 1
        ? `Line ${expected} of the audit log is missing.`
        : `Lines ${expected} to ${line.seq - 1} of the audit log are missing.`
    if (auditHash(this.#hash, line) !== line.hash)
      return `Line ${line.seq} of the audit log does not match its hash: it or a line before it was changed.`
    this.#seq = line.seq
    this.#hash = line.hash
    return undefined
  }
}
