import type uPlot from 'uplot'
import { colour, seriesColour } from '../../chart/colours.ts'
import type { Line } from './lines.ts'

export function download(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

const ROW = 20

/** The chart as a picture, with its title and its lines named above it. */
export function paint(plot: uPlot, title: string, lines: readonly Line[]): Promise<Blob> {
  const { canvas: chart } = plot.ctx
  const ratio = devicePixelRatio
  const head = (ROW * (lines.length + 1) + 16) * ratio
  const canvas = document.createElement('canvas')
  canvas.width = chart.width
  canvas.height = chart.height + head
  const context = canvas.getContext('2d')!
  context.fillStyle = colour('--surface')
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(chart, 0, head)
  context.scale(ratio, ratio)
  context.fillStyle = colour('--text')
  context.font = '600 14px system-ui, sans-serif'
  context.fillText(title, 12, 20)
  context.font = '12px system-ui, sans-serif'
  for (const [at, line] of lines.entries()) {
    const y = 20 + ROW * (at + 1)
    context.fillStyle = seriesColour(line.colour)
    context.fillRect(12, y - 6, 16, 3)
    context.fillStyle = colour('--text')
    context.fillText(`${line.name} (${line.unit})`, 36, y)
  }
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'),
  )
}
