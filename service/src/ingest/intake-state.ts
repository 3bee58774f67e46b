import type { IntakeCounts } from './mqtt/message-intake.ts'

/** How a way in is doing, for whoever operates. */
export type IntakeState = {
  /** `mqtt <name>` or `broker`, as refusals name it. */
  origin: string
  /** How many connections this instance should have, and how many it has. */
  connections: number
  connected: number
  /** Since the start. */
  counts: IntakeCounts
}
