import type uPlot from 'uplot'

type Span = { from: number; to: number }
type Navigation = {
  span(): Span
  /** Called while the wheel turns and fingers move. */
  onmove(span: Span): void
}

/** Lets the wheel zoom, and fingers move (one) and zoom (two), around the place where they are. */
export function navigate({ span, onmove }: Navigation): uPlot.Plugin {
  return {
    hooks: {
      ready: ({ over }) => {
        over.addEventListener(
          'wheel',
          (event) => {
            if (event.deltaY === 0) return
            event.preventDefault()
            const box = over.getBoundingClientRect()
            onmove(
              around(span(), 2 ** (event.deltaY / 300), (event.clientX - box.left) / box.width),
            )
          },
          { passive: false },
        )
        listenToFingers(over, span, onmove)
      },
    },
  }
}

/** A span times `factor`; the place at `part` of it stays. */
function around({ from, to }: Span, factor: number, part: number): Span {
  const at = from + (to - from) * part
  return { from: at - (at - from) * factor, to: at + (to - at) * factor }
}

function listenToFingers(over: HTMLElement, span: () => Span, onmove: (span: Span) => void): void {
  const fingers = new Map<number, number>()
  // Up and down scrolls the page.
  over.style.touchAction = 'pan-y'
  const end = ({ pointerId }: PointerEvent): boolean => fingers.delete(pointerId)

  over.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'mouse') return
    fingers.set(event.pointerId, event.clientX)
    over.setPointerCapture(event.pointerId)
  })
  over.addEventListener('pointermove', (event) => {
    const before = fingers.get(event.pointerId)
    if (before === undefined) return
    const { left, width } = over.getBoundingClientRect()
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1]
    fingers.set(event.pointerId, event.clientX)
    const { from, to } = span()
    if (other === undefined) {
      const step = ((before - event.clientX) * (to - from)) / width
      return onmove({ from: from + step, to: to + step })
    }
    const [old, now] = [Math.abs(before - other), Math.abs(event.clientX - other)]
    if (now > 20) onmove(around({ from, to }, old / now, (other - left) / width))
  })
  over.addEventListener('pointerup', end)
  over.addEventListener('pointercancel', end)
}
