import { pan, zoom, type SampleRange } from './sample-range.ts'

/** What gestures act upon. */
export type Plot = {
  readonly range: SampleRange
  readonly count: number
  readonly cursor: number | undefined
  /** The left edge and the width of the part that shows samples, in pixels of CSS. */
  readonly inner: { left: number; width: number }
  show(range: SampleRange): void
  point(sample: number | undefined): void
}

const WHEEL_ZOOM = 0.0015
const KEY_ZOOM = 1.5
const LINE_PIXELS = 16
const DRAG_PIXELS = 3

/** Pans by dragging, zooms by wheel and by two fingers, points by hovering; returns the end of it. */
export function listenToPointers(element: HTMLElement, plot: Plot): () => void {
  const pointers = new Map<number, number>()
  let hasMoved = false
  const at = (event: MouseEvent): number =>
    event.clientX - element.getBoundingClientRect().left - plot.inner.left
  const samplesOf = (pixels: number): number =>
    (pixels / plot.inner.width) * (plot.range.to - plot.range.from)
  const pointTo = (event: MouseEvent): void => plot.point(plot.range.from + samplesOf(at(event)))

  const handlers = {
    pointerdown(event: PointerEvent): void {
      if (event.button !== 0) return
      element.setPointerCapture(event.pointerId)
      pointers.set(event.pointerId, at(event))
      hasMoved = false
    },
    pointermove(event: PointerEvent): void {
      const before = pointers.get(event.pointerId)
      if (before === undefined) return pointTo(event)
      const now = at(event)
      if (!hasMoved && pointers.size === 1 && Math.abs(now - before) < DRAG_PIXELS) return
      hasMoved = true
      const others = [...pointers].flatMap(([id, place]) => (id === event.pointerId ? [] : [place]))
      pointers.set(event.pointerId, now)
      const [other] = others
      if (other === undefined) plot.show(pan(plot.range, samplesOf(before - now), plot.count))
      else pinch(plot, other, before, now)
    },
    pointerup(event: PointerEvent): void {
      if (pointers.delete(event.pointerId) && !hasMoved) pointTo(event)
    },
    pointercancel({ pointerId }: PointerEvent): void {
      pointers.delete(pointerId)
    },
    pointerleave({ pointerType }: PointerEvent): void {
      if (pointerType === 'mouse' && pointers.size === 0) plot.point(undefined)
    },
    dblclick(): void {
      plot.show({ from: 0, to: plot.count })
    },
    wheel(event: WheelEvent): void {
      event.preventDefault()
      const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PIXELS
      const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)
      if (isSideways) {
        const by = samplesOf((event.deltaX || event.deltaY) * pixels)
        plot.show(pan(plot.range, by, plot.count))
      } else {
        const anchor = Math.min(1, Math.max(0, at(event) / plot.inner.width))
        const factor = Math.exp(event.deltaY * pixels * WHEEL_ZOOM)
        plot.show(zoom(plot.range, factor, anchor, plot.count))
      }
      pointTo(event)
    },
  }
  const listeners = Object.entries(handlers) as [string, (event: Event) => void][]
  for (const [name, listener] of listeners)
    element.addEventListener(name, listener, { passive: false })
  return () => {
    for (const [name, listener] of listeners) element.removeEventListener(name, listener)
  }
}

/** Two fingers keep the samples below them: one stays, the other goes from `before` to `now`. */
function pinch(plot: Plot, still: number, before: number, now: number): void {
  const { width } = plot.inner
  const least = width / 40
  const factor = Math.max(least, Math.abs(before - still)) / Math.max(least, Math.abs(now - still))
  plot.show(zoom(plot.range, factor, Math.min(1, Math.max(0, still / width)), plot.count))
}

/** Whether a key did something: arrows move the cursor, others pan and zoom. */
export function pressKey(key: string, isFine: boolean, plot: Plot): boolean {
  const { range, count, cursor } = plot
  const length = range.to - range.from
  const middle = range.from + length / 2
  const step = isFine ? 1 : Math.max(1, length / 100)
  const move = (to: number): void => {
    const sample = Math.min(count - 1, Math.max(0, Math.round(to)))
    if (sample < range.from) plot.show(pan(range, sample - range.from, count))
    if (sample > range.to) plot.show(pan(range, sample - range.to + 1, count))
    plot.point(sample)
  }
  const anchor =
    cursor === undefined ? 0.5 : Math.min(1, Math.max(0, (cursor - range.from) / length))
  const actions: Record<string, () => void> = {
    ArrowLeft: () => move((cursor ?? middle) - step),
    ArrowRight: () => move((cursor ?? middle) + step),
    PageUp: () => plot.show(pan(range, -length / 2, count)),
    PageDown: () => plot.show(pan(range, length / 2, count)),
    Home: () => move(0),
    End: () => move(count - 1),
    '+': () => plot.show(zoom(range, 1 / KEY_ZOOM, anchor, count)),
    '-': () => plot.show(zoom(range, KEY_ZOOM, anchor, count)),
    '0': () => plot.show({ from: 0, to: count }),
    Escape: () => plot.point(undefined),
  }
  const action = actions[key === '=' ? '+' : key]
  action?.()
  return action !== undefined
}
