const TICK_MILLISECONDS = 500
const PATIENT_TICKS = 10

/** Seconds after which a server counts as silent that has been asked for something simple. */
export const PATIENCE_SECONDS = (TICK_MILLISECONDS * PATIENT_TICKS) / 1000

/**
 * Waits for an answer, and says once when it takes too long. Ticks are counted, not time: where this
 * process itself stood still, the answer may be there unread.
 */
export async function withPatience<Answer>(
  answer: Promise<Answer>,
  onSilence: () => void,
): Promise<Answer> {
  let ticks = 0
  const timer = setInterval(() => {
    if (++ticks === PATIENT_TICKS) onSilence()
  }, TICK_MILLISECONDS)
  try {
    return await answer
  } finally {
    clearInterval(timer)
  }
}
