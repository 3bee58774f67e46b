/** Calls `run` again and again while the page is seen. Called while a component is made. */
export function every(seconds: number, run: () => void): void {
  $effect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') run()
    }, seconds * 1000)
    return () => clearInterval(timer)
  })
}
