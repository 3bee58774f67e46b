import { BATCH_MAXIMUM } from '@plumbline/contract'

/** Lines of a body, comments and blank ones included. */
export const LINES_MAXIMUM = 10 * BATCH_MAXIMUM

export const TOO_MANY_LINES = `the body has more than ${LINES_MAXIMUM} lines, blank ones included`
