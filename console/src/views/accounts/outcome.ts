import { texts } from '../../texts/texts.svelte.ts'

/** How a change of the audit log ended, in words, and the kind of badge that shows it. */
export function showOutcome(outcome: string): {
  kind: 'good' | 'quiet' | 'warning' | 'danger'
  text: string
} {
  const { done, begun, unknown } = texts.accounts.audit
  switch (outcome) {
    case 'done':
      return { kind: 'good', text: done }
    // A command leaves its line before it writes, and no other one.
    case 'begun':
      return { kind: 'quiet', text: begun }
    case 'unknown':
      return { kind: 'warning', text: unknown }
    default:
      return { kind: 'danger', text: outcome }
  }
}
