import type { Quality, QualityClass } from '../../quality/quality.ts'

/** The rules that say something about the quality of values, and what unless they name another. */
export const RULE_QUALITIES = {
  range: 'bad',
  spike: 'uncertain',
  frozen: 'uncertain',
} as const satisfies Record<string, QualityClass>

type JudgingRule = keyof typeof RULE_QUALITIES

/** The reasons of these qualities. */
const REASONS: Readonly<Record<JudgingRule, string>> = {
  range: 'outOfRange',
  spike: 'spike',
  frozen: 'frozen',
}

/** The quality that a rule gives a value; undefined where the value stays as it is. */
export function qualityOf(
  rule: JudgingRule,
  quality: QualityClass = RULE_QUALITIES[rule],
): Quality | undefined {
  return quality === 'good' ? undefined : { quality, reason: REASONS[rule] }
}

/** Whether a quality hides a value from thresholds and from the rules after it. */
export function isHiding(quality: Quality | undefined, evaluateUncertain: boolean): boolean {
  if (quality === undefined || quality.quality === 'good') return false
  return quality.quality === 'bad' || !evaluateUncertain
}
