import type { CameraLimits } from './limits/camera-watch.ts'

/** How a source of the network is opened. */
export type OpenOptions = CameraLimits & Readonly<{ /** Ends the opening. */ signal: AbortSignal }>
