import { ConflictError, type ConflictReason } from '../../errors/conflict-error.ts'
import type { SqlEngine } from './engine.ts'

/** An engine that counts the writes that it refuses because of another writer. */
export function countConflicts(engine: SqlEngine): {
  engine: SqlEngine
  conflicts: ReadonlyMap<ConflictReason, number>
} {
  const conflicts = new Map<ConflictReason, number>(REASONS.map((reason) => [reason, 0]))
  return {
    conflicts,
    engine: {
      ...engine,
      async write(statements) {
        try {
          return await engine.write(statements)
        } catch (error) {
          if (error instanceof ConflictError)
            conflicts.set(error.reason, (conflicts.get(error.reason) ?? 0) + 1)
          throw error
        }
      },
    },
  }
}

const REASONS = ['alarms', 'records', 'rows', 'places'] as const satisfies ConflictReason[]
