import { innerHeight } from 'svelte/reactivity/window'

const LEAST = 280
const MOST = 880
/** What stands above and below a plot. */
const REST = 480

/** The height of a plot that shares the window with its controls. */
export const plotHeight = (): number =>
  Math.min(MOST, Math.max(LEAST, (innerHeight.current ?? 0) - REST))
