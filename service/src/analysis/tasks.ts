import {
  identifyFrequencies,
  type FrequencyBand,
} from '../domain/vibration/identify-frequencies.ts'
import { integrate, type Integration } from '../domain/vibration/integrate.ts'
import { findPeaks, type Peak, type PeakChoice } from '../domain/vibration/peaks.ts'
import { powerDensity, type PowerDensity } from '../domain/vibration/power-density.ts'
import type { Segmentation } from '../domain/vibration/segments.ts'
import { spectrogram, type Spectrogram } from '../domain/vibration/spectrogram.ts'
import { spectrum } from '../domain/vibration/spectrum.ts'
import type { WindowName } from '../domain/vibration/window.ts'

type TaskTypes = {
  amplitude: { options: object; result: { amplitude: Float64Array } }
  psd: { options: Segmentation; result: PowerDensity }
  peaks: { options: PeakChoice & { window: WindowName }; result: { peaks: Peak[] } }
  spectrogram: { options: Segmentation; result: Spectrogram }
  integral: { options: Integration; result: { samples: Float64Array } }
  frequencies: {
    options: { bands: readonly FrequencyBand[] }
    result: { frequencies: (number | undefined)[] }
  }
}

export type TaskName = keyof TaskTypes
export type TaskOptions<Name extends TaskName> = TaskTypes[Name]['options']
export type TaskResult<Name extends TaskName> = TaskTypes[Name]['result']

type AnalysisTasks = {
  readonly [Name in TaskName]: (
    samples: Float64Array,
    sampleHz: number,
    options: TaskOptions<Name>,
  ) => TaskResult<Name>
}

/** The analyses of a waveform. */
export const TASKS: AnalysisTasks = {
  amplitude: (samples, sampleHz) => ({ amplitude: spectrum(samples, sampleHz).amplitude }),
  psd: powerDensity,
  peaks: (samples, sampleHz, { window, ...choice }) => ({
    peaks: findPeaks(
      spectrum(samples, sampleHz, window).amplitude,
      sampleHz / samples.length,
      choice,
    ),
  }),
  spectrogram,
  integral: (samples, sampleHz, integration) => ({
    samples: integrate(samples, sampleHz, integration),
  }),
  frequencies: (samples, sampleHz, { bands }) => ({
    frequencies: identifyFrequencies(samples, sampleHz, bands),
  }),
}
