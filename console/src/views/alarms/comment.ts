const LONGEST_COMMENT = 500

/** What is wrong with a comment, as the name of its sentence. */
export function commentProblem(comment: string): 'commentMissing' | 'commentLong' | undefined {
  if (comment.trim() === '') return 'commentMissing'
  return comment.trim().length > LONGEST_COMMENT ? 'commentLong' : undefined
}

export type UntilProblem = 'untilMissing' | 'untilPast' | 'untilFar'

const LONGEST_SHELVING = 30 * 86_400_000

/** What is wrong with the end of a shelving, as the name of its sentence. */
export function untilProblem(until: number, now: number): UntilProblem | undefined {
  if (Number.isNaN(until)) return 'untilMissing'
  if (until <= now) return 'untilPast'
  return until > now + LONGEST_SHELVING ? 'untilFar' : undefined
}
