import { identifyFrequencies, type FrequencyBand } from '../domain/vibration/identified.ts'
import { integrate, type Integration } from '../domain/vibration/integral.ts'
import { findPeaks, type PeakChoice } from '../domain/vibration/peaks.ts'
import { powerDensity } from '../domain/vibration/power-density.ts'
import type { Segmentation } from '../domain/vibration/segments.ts'
import { spectrogram } from '../domain/vibration/spectrogram.ts'
import { spectrum } from '../domain/vibration/spectrum.ts'
import type { WindowName } from '../domain/vibration/window.ts'

/** What can be asked of a waveform; each takes samples and their rate. */
export const TASKS = {
  amplitude: (samples: Float64Array, sampleHz: number, _none: object) => ({
    amplitude: spectrum(samples, sampleHz).amplitude,
  }),
  psd: (samples: Float64Array, sampleHz: number, segmentation: Segmentation) =>
    powerDensity(samples, sampleHz, segmentation),
  peaks: (
    samples: Float64Array,
    sampleHz: number,
    { window, ...choice }: PeakChoice & { window: WindowName },
  ) => ({
    peaks: findPeaks(
      spectrum(samples, sampleHz, window).amplitude,
      sampleHz / samples.length,
      choice,
    ),
  }),
  spectrogram: (samples: Float64Array, sampleHz: number, segmentation: Segmentation) =>
    spectrogram(samples, sampleHz, segmentation),
  integral: (samples: Float64Array, sampleHz: number, integration: Integration) => ({
    samples: integrate(samples, sampleHz, integration),
  }),
  frequencies: (
    samples: Float64Array,
    sampleHz: number,
    { bands }: { bands: readonly FrequencyBand[] },
  ) => ({
    frequencies: identifyFrequencies(samples, sampleHz, bands),
  }),
} as const

export type TaskName = keyof typeof TASKS

export type TaskOptions<Name extends TaskName> = Parameters<(typeof TASKS)[Name]>[2]

export type TaskResult<Name extends TaskName> = ReturnType<(typeof TASKS)[Name]>
