# Rings and random polygons of a run of `mpiexec -n 2 beff --time 165 --memory 256`, with notes:
# gnuplot docs/result.gp > docs/result.svg
set encoding utf8
set terminal svg size 900,520 font 'sans-serif,13' background rgb 'white'
set termoption noenhanced
$data0 << EOD
1 4.50042043 3.992039227 6.183581349
2 10.50699193 9.205584471 12.08713325
4 21.7371617 17.9584865 24.36540071
8 44.01844775 35.31368955 48.53689049
16 95.04403881 72.41952757 97.31940736
32 158.8607559 136.325534 161.5088611
64 378.1523039 271.0236468 381.7967112
128 429.1689764 341.4942726 509.8900172
256 841.6632685 640.5781648 1032.97014
512 1558.124365 1087.29877 1642.642953
1024 2169.748896 1822.833725 2381.394077
2048 2770.488475 2220.520422 2893.224457
4096 3382.464844 3193.180211 3926.819015
8933 2493.329698 2293.89919 2819.572078
19484 3570.702693 3385.116921 3751.701366
42495 4308.807331 4181.590446 4448.811619
92682 4879.261844 4711.115749 4984.861746
202141 5289.33667 5039.720631 5405.240801
440872 5540.621142 5283.247123 5650.47402
961548 5609.133384 5388.72802 5691.927311
2097152 5749.433317 5560.857557 6018.055513
EOD
$data1 << EOD
1 4.539225368 4.027494018 6.093883265
2 10.29938419 9.102348264 12.11930206
4 22.08442848 18.90566778 24.24111539
8 42.70647318 34.83933648 48.43055638
16 93.65790716 72.94796301 97.51416683
32 159.1411329 134.2138489 162.4568037
64 374.9552064 270.0891659 386.4152176
128 419.0845149 343.7428843 513.760319
256 841.216435 676.0325255 1024.426504
512 1554.109762 1108.119223 1647.193389
1024 2134.153849 1821.343436 2387.008083
2048 2770.357692 2247.88317 2881.866169
4096 3457.168986 3270.041586 3896.14608
8933 2487.637689 2325.695124 2791.025769
19484 3591.779301 3433.648303 3754.972526
42495 4339.161322 4194.9041 4429.178843
92682 4860.428471 4696.605786 4922.615182
202141 5255.168381 5026.261515 5396.038519
440872 5522.336093 5262.947252 5621.187343
961548 5581.978009 5360.55017 5745.971278
2097152 5697.950747 5523.35444 5952.769056
EOD
$data2 << EOD
961548 9714.75 NaN NaN
2097152 9714.75 NaN NaN
EOD
set datafile missing '?'
set border 3 linecolor rgb '#555555'
set tics nomirror out scale 0.6,0.3
set grid xtics ytics linecolor rgb '#D8D8D8' linewidth 0.7 dashtype 1
set logscale x 2
set xrange [0.558643569:3754007.235]
set xlabel 'message size'
set xtics ('1 B' 1, '' 2 1, '' 4 1, '' 8 1, '16 B' 16, '' 32 1, '' 64 1, '' 128 1, '256 B' 256, '' 512 1, '' 1024 1, '' 2048 1, '4 KiB' 4096, '' 8192 1, '' 16384 1, '' 32768 1, '64 KiB' 65536, '' 131072 1, '' 262144 1, '' 524288 1, '1 MiB' 1048576, '' 2097152 1)
set label 1 'Rings and random polygons' at screen 0.012, screen 0.965 left noenhanced font ',15' textcolor rgb '#000000'
set label 2 'vm, 2 processes on 1 node, 2026-11-22, b_eff = 2315.698 MB/s, VALID, noisy machine' at screen 0.012, screen 0.915 left noenhanced font ',12' textcolor rgb '#444444'
set label 3 'limit: memory copy of 8104 MB/s before and 9715 after the patterns, whole, as large messages are faster than two copies allow' at screen 0.012, screen 0.055 left noenhanced font ',10' textcolor rgb '#666666'
set label 4 'bars: 95 % of what triples of the 10 repetitions give' at screen 0.012, screen 0.025 left noenhanced font ',10' textcolor rgb '#666666'
set key outside right top vertical spacing 1.2 Left reverse samplen 3 width 1 noenhanced
set lmargin 10
set tmargin at screen 0.86
set bmargin at screen 0.215
set logscale y
set yrange [2.922438139:13270.31103]
set ylabel 'bandwidth of all processes (MB/s)'
set ytics ('' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '10' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '100' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '1000' 1000, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '10000' 10000)
green = "#1b6b3a"
set label 11 "small\nmessages:\nlatency\ndecides" at 0.8,900 left textcolor rgb green
set arrow 11 from 3,85 to 3.7,30 nohead linecolor rgb green
set label 12 "b_eff: the mean of sizes,\nrings, polygons" at 0.8,5600 left textcolor rgb green
set arrow 12 from 0.7,2315.7 to 2700000,2315.7 nohead dashtype (6,4) linecolor rgb green
set label 13 "21 sizes, each with its best method of three;\na dip: the MPI library does worse with that size" at 1000,260 left textcolor rgb green
set arrow 13 from 7000,330 to 8900,2200 nohead linecolor rgb green
set label 14 "largest messages: 59 % of\nwhat memory copies allow" at 70000,1300 left textcolor rgb green
set arrow 14 from 1350000,1500 to 1350000,9000 nohead linecolor rgb green
plot \
    $data0 using 1:2:3:4 with yerrorbars linecolor rgb '#0072B2' linewidth 1 pointtype 0 notitle, \
    $data0 using 1:2 with linespoints linecolor rgb '#0072B2' dashtype 1 linewidth 1.6 pointtype 7 pointsize 0.7 title 'ring patterns (logavg)', \
    $data1 using 1:2:3:4 with yerrorbars linecolor rgb '#D55E00' linewidth 1 pointtype 0 notitle, \
    $data1 using 1:2 with linespoints linecolor rgb '#D55E00' dashtype 1 linewidth 1.6 pointtype 5 pointsize 0.7 title 'random polygons (logavg)', \
    $data2 using 1:2 with lines linecolor rgb '#808080' dashtype (2,3) linewidth 2 title 'known limit at Lmax'
