# Style of all gnuplot figures. Variables set before: format ('svg' or 'png'), width and height in
# pixels, label: characters of the longest legend entry.
set encoding utf8
if (format eq 'png') set terminal pngcairo enhanced size 2*width,2*height font 'DejaVu Sans,18' linewidth 2
if (format eq 'svg') set terminal svg enhanced size width,height dynamic font 'DejaVu Sans, Helvetica, sans-serif,12' background '#ffffff'
dot = format eq 'png' ? 1.1 : 0.5
dashes = format eq 'png' ? '_' : '-'
small = format eq 'png' ? 'DejaVu Sans,16' : 'DejaVu Sans, Helvetica, sans-serif,11'
set border 3 linecolor rgb '#49525e'
set tics nomirror out scale 0.5
set grid linetype 1 linecolor rgb '#dfe3e8'
set format '%g'
# the SVG terminal assumes taller lines of text
line = format eq 'png' ? 1 : 0.77
set key at graph 1.03, graph 1 left top Left reverse samplen 1.6 spacing 0.95*line
set lmargin 10
set rmargin 0.9*label+7
set tmargin 2*line
set bmargin 3.2*line
set title noenhanced offset 0,-0.4
set xlabel noenhanced offset 0,2.6-2*line
set ylabel noenhanced
set xtics offset 0,1-line
c1 = '#0072b2'
c2 = '#d55e00'
c3 = '#009e73'
c4 = '#cc79a7'
c5 = '#e69f00'
c6 = '#56b4e9'
c7 = '#000000'
c8 = '#7f7f7f'
